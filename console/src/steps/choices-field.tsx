import { ActionIcon, Button, Textarea, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../shared/icons.tsx";
import { type Choice, choicesIn, writtenChoices } from "./choices.ts";
import { type FieldProps, useSaid } from "./field-props.ts";
import styles from "./steps.module.css";

type ListName = "botones" | "opciones";

/** The platform's limits: at most `most` buttons or options; `title` and `description` in characters. */
const limits = {
  botones: { most: 3, title: 20, description: 0 },
  opciones: { most: 10, title: 24, description: 72 },
} as const;

/** Edits each button or option in its own row. A value that is not a list of choices is edited as text. */
export function ChoicesField(props: FieldProps & { readonly name: ListName }) {
  const { name, error, fields, set } = props;
  const said = useSaid({ name, error });
  const [isList] = useState(() => choicesIn(fields[name]) !== null);
  if (isList) return <ChoiceList {...props} />;
  return (
    <Textarea
      {...said}
      autosize
      minRows={2}
      maxRows={12}
      maxLength={20_000}
      spellCheck={false}
      value={fields[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    />
  );
}

function ChoiceList({ name, error, fields, id, steps, set }: FieldProps & { readonly name: ListName }) {
  const { t } = useTranslation("steps");
  const { label, description } = useSaid({ name, error });
  const [choices, setChoices] = useState<readonly Choice[]>(() => choicesIn(fields[name]) ?? []);
  const list = useRef<HTMLUListElement>(null);
  const { most, title, description: longestDescription } = limits[name];
  const change = (next: readonly Choice[]): void => {
    setChoices(next);
    set({ [name]: writtenChoices(next.filter((choice) => choice.title.trim() !== "")) });
  };
  const edit = (at: number, part: Partial<Choice>): void =>
    change(choices.map((choice, index) => (index === at ? { ...choice, ...part } : choice)));
  const add = (): void => {
    setChoices([...choices, { title: "", description: "" }]);
    setTimeout(() => list.current?.querySelector<HTMLInputElement>("li:last-child input")?.focus());
  };
  const leadsTo = (text: string): string | undefined => {
    const same = (other: string | null): boolean => other?.trim().toLowerCase() === text.trim().toLowerCase();
    const child = text.trim() === "" ? undefined : steps.find((step) => step.paso_id === id && same(step.iniciador));
    return child && t("choices.leadsTo", { name: child.nombre });
  };
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{label}</legend>
      <p className={styles.help}>{description}</p>
      <ul ref={list} className={styles.choices}>
        {choices.map((choice, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no names of their own, and keep their order
          <li key={index} className={styles.choice}>
            <div className={styles.fields}>
              <TextInput
                aria-label={t(`choices.${name}`, { number: index + 1 })}
                placeholder={t("choices.text")}
                maxLength={Math.max(title, choice.title.length)}
                description={leadsTo(choice.title)}
                inputWrapperOrder={["input", "description"]}
                value={choice.title}
                onChange={(event) => edit(index, { title: event.currentTarget.value })}
              />
              {longestDescription > 0 && (
                <TextInput
                  size="xs"
                  aria-label={t("choices.descriptionOf", { number: index + 1 })}
                  placeholder={t("choices.description")}
                  maxLength={Math.max(longestDescription, choice.description.length)}
                  value={choice.description}
                  onChange={(event) => edit(index, { description: event.currentTarget.value })}
                />
              )}
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t("choices.remove", { name: choice.title || index + 1 })}
              onClick={() => change(choices.filter((_, at) => at !== index))}
            >
              <Icon name="close" size={16} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <Button variant="default" size="compact-sm" disabled={choices.length >= most} onClick={add}>
        {t(`choices.add.${name}`)}
      </Button>
      {choices.length >= most && <p className={styles.help}>{t("choices.most", { count: most })}</p>}
      {error && <p className={styles.wrong}>{error}</p>}
    </fieldset>
  );
}
