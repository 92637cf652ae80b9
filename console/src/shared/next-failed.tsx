import { Button, Group, Text } from "@mantine/core";

interface NextFailedProps {
  readonly text: string;
  readonly again: string;
  readonly onAgain: () => void;
}

/** Says below a list that its next page could not be loaded. The list does not ask again by itself. */
export function NextFailed({ text, again, onAgain }: NextFailedProps) {
  return (
    <Group role="alert" justify="center" gap="xs" p="xs">
      <Text size="sm">{text}</Text>
      <Button size="xs" variant="default" onClick={onAgain}>
        {again}
      </Button>
    </Group>
  );
}
