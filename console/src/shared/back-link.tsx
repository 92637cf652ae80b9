import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";
import styles from "./back-link.module.css";
import { Icon } from "./icons.tsx";

/** A link above a page's title, to the list that the page belongs to. */
export const BackLink = createLink(({ children, className, ...props }: ComponentPropsWithRef<"a">) => (
  <a {...props} className={[styles.back, className].filter(Boolean).join(" ")}>
    <Icon name="back" size={16} />
    {children}
  </a>
));
