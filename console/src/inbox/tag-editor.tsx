import { Pill, Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { TagList } from "../shared/tag-list.tsx";
import { useTags } from "./tags.ts";

interface Tag {
  readonly id: number;
  readonly nombre: string;
}

interface TagEditorProps {
  readonly label: string;
  readonly tags: readonly Tag[];
  readonly onAdd: (tag: Tag) => void;
  readonly onRemove: (tag: Tag) => void;
}

/** The chosen tags with buttons to remove them, and a search for others. */
export function TagEditor({ label, tags, onAdd, onRemove }: TagEditorProps) {
  const { t } = useTranslation("inbox");
  const { data: all } = useTags();
  const others = all?.filter(({ id }) => tags.every((tag) => tag.id !== id));
  return (
    <>
      {tags.length > 0 && (
        <TagList label={label} tags={tags}>
          {(tag) => (
            <Pill
              withRemoveButton
              removeButtonProps={{
                "aria-label": t("removeTag", { name: tag.nombre }),
                "aria-hidden": false,
                tabIndex: 0,
              }}
              onRemove={() => onRemove(tag)}
            >
              {tag.nombre}
            </Pill>
          )}
        </TagList>
      )}
      {/* The search is shown before the tags are loaded, so that the content below does not move. */}
      {others?.length !== 0 && (
        <Select
          searchable
          size="xs"
          limit={100}
          aria-label={t("addTag")}
          placeholder={t("addTag")}
          nothingFoundMessage={t("nothingFound")}
          data={others?.map(({ id, nombre }) => ({ value: String(id), label: nombre })) ?? []}
          value={null}
          onChange={(value) => {
            const tag = others?.find(({ id }) => String(id) === value);
            if (tag) onAdd(tag);
          }}
        />
      )}
    </>
  );
}
