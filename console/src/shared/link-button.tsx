import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

type Props = ButtonProps & Omit<ComponentPropsWithRef<"a">, keyof ButtonProps>;

/** A link that looks like a button; it opens in another tab as links do. */
export const LinkButton = createLink((props: Props) => <Button component="a" {...props} />);
