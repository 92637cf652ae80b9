import { Button, Group, MultiSelect, NumberInput, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Frozen } from "../shared/frozen.tsx";
import { useMoney } from "../shared/money.ts";
import { highestCustomPrice } from "./amounts.ts";
import { useArticles, useExtras } from "./choices.ts";
import styles from "./drawer.module.css";
import type { NewLine } from "./orders.ts";

const highestQuantity = 10_000;
const longestPicked = 255;
const searchPauseMs = 200;

interface LinePickerProps {
  readonly isSaving: boolean;
  readonly onPick: (line: NewLine, shown: PickedNames) => void;
  readonly onCancel: () => void;
}

/** The names and prices of a line that is not saved yet. */
export interface PickedNames {
  readonly name: string;
  readonly price: number;
  readonly extras: readonly { readonly name: string; readonly price: number }[];
}

export function LinePicker({ isSaving, onPick, onCancel }: LinePickerProps) {
  const { t, i18n } = useTranslation("orders");
  const separator = (0.5).toLocaleString(i18n.language).charAt(1);
  const money = useMoney();
  const [search, setSearch] = useState("");
  const [q] = useDebouncedValue(search.trim(), searchPauseMs);
  // While a number is being typed, the fields give texts such as `1.`.
  const [quantity, setQuantity] = useState<number | string>(1);
  const [extraIds, setExtraIds] = useState<readonly string[]>([]);
  const [prices, setPrices] = useState<Readonly<Record<string, number | string>>>({});
  const { data: found = [] } = useArticles(q);
  const { data: allExtras = [] } = useExtras();
  const [chosen, setChosen] = useState<(typeof found)[number] | null>(null);
  // The selected article stays available while the user searches for another one.
  const articles = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found;
  const extras = allExtras.filter(
    ({ articulos }) => articulos.length === 0 || (chosen !== null && articulos.includes(chosen.id)),
  );
  const chosenExtras = extras.filter(({ id }) => extraIds.includes(String(id)));

  const hasQuantity = Number(quantity) >= 1 && Number(quantity) <= highestQuantity;
  /** The extra's custom price; undefined if the field is empty. */
  const priceOf = (id: number): number | undefined => {
    const price = Number.parseFloat(String(prices[id] ?? ""));
    return Number.isNaN(price) ? undefined : price;
  };

  const pick = (): void => {
    if (!chosen || !hasQuantity) return;
    const line = {
      articleId: chosen.id,
      quantity: Number(quantity),
      extras: chosenExtras.map(({ id, name }) => {
        const price = priceOf(id);
        return { id, ...(price !== undefined && { customPrice: price, picked: name.slice(0, longestPicked) }) };
      }),
    };
    onPick(line, {
      name: chosen.name,
      price: Number(chosen.price),
      extras: chosenExtras.map(({ id, name, charge }) => ({ name, price: priceOf(id) ?? Number(charge) })),
    });
  };
  return (
    <form
      className={styles.picker}
      onSubmit={(event) => {
        event.preventDefault();
        pick();
      }}
    >
      <Frozen when={isSaving}>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <Select
            label={t("article")}
            placeholder={t("articleSearch")}
            autoFocus
            searchable
            comboboxProps={{ withinPortal: false }}
            onSearchChange={(text) => setSearch(text === labelOf(chosen, money) ? "" : text)}
            filter={({ options }) => options}
            nothingFoundMessage={t("noArticle")}
            data={articles.map((article) => ({ value: String(article.id), label: labelOf(article, money) }))}
            value={chosen && String(chosen.id)}
            onChange={(value) => {
              setChosen(articles.find(({ id }) => String(id) === value) ?? null);
              setExtraIds([]);
            }}
            flex={1}
          />
          <NumberInput
            label={t("quantity")}
            min={1}
            max={highestQuantity}
            allowDecimal={false}
            value={quantity}
            onChange={setQuantity}
            w={96}
          />
        </Group>
        {chosen && extras.length > 0 && (
          <MultiSelect
            label={t("extras")}
            data={extras.map(({ id, name, charge }) => ({ value: String(id), label: `${name} · ${money(charge)}` }))}
            value={[...extraIds]}
            onChange={setExtraIds}
            searchable
            clearable
            clearButtonProps={{ "aria-label": t("filter.clear") }}
          />
        )}
        {chosenExtras.map(({ id, name, charge }) => (
          <NumberInput
            key={id}
            size="xs"
            label={t("extraPrice", { name })}
            placeholder={money(charge)}
            min={0}
            max={highestCustomPrice}
            decimalScale={2}
            decimalSeparator={separator}
            allowedDecimalSeparators={[",", "."]}
            value={prices[id] ?? ""}
            onChange={(price) => setPrices((before) => ({ ...before, [id]: price }))}
          />
        ))}
        <Group gap="xs" justify="flex-end">
          <Button size="sm" variant="default" onClick={onCancel}>
            {t("cancelAdding")}
          </Button>
          <Button size="sm" type="submit" loading={isSaving} disabled={!chosen || !hasQuantity}>
            {t("add")}
          </Button>
        </Group>
      </Frozen>
    </form>
  );
}

const labelOf = (
  article: { readonly name: string; readonly price: string | number } | null,
  money: (amount: string | number) => string,
): string => (article ? `${article.name} · ${money(article.price)}` : "");
