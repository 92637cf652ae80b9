import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useMe } from "../app/session.ts";
import { allPages } from "../shared/all-pages.ts";
import { answered, api, type Chat, type Me } from "../shared/api.ts";

export interface QuickReply {
  readonly id: number;
  readonly name: string;
  /** The text with its placeholders filled in. */
  readonly text: string;
  readonly mediaUrl: string | null;
}

const freshMs = 60_000;

async function fetchReplies() {
  const all = await allPages((query) => answered(api.GET("/quick-replies", { params: { query } })));
  return all.sort((a, b) => a.nombre.localeCompare(b.nombre));
}

/** The matching quick replies, filled in for this chat. */
export function useQuickReplies(chat: Chat, asked: string | null) {
  const me = useMe();
  const enabled = asked !== null;
  const replies = useQuery({ queryKey: ["quick-replies"], queryFn: fetchReplies, staleTime: freshMs, enabled });
  const details = useQuery({
    queryKey: ["quick-reply-facts", chat.chat_id],
    queryFn: async () => (await answered(api.GET("/chats/{id}", { params: { path: { id: chat.chat_id } } }))).contacto,
    staleTime: freshMs,
    enabled: enabled && (replies.data?.some(({ texto }) => texto.includes("{{")) ?? false),
  });
  const found = useMemo(() => {
    const facts: Facts = { ...chat.contacto, campos: details.data?.campos };
    const words = plain(asked ?? "");
    return (replies.data ?? [])
      .filter(({ nombre, texto }) => plain(nombre).includes(words) || plain(texto).includes(words))
      .sort((a, b) => Number(plain(b.nombre).startsWith(words)) - Number(plain(a.nombre).startsWith(words)))
      .map(({ id, nombre, texto, media_url }) => ({
        id,
        name: nombre,
        text: filled(texto, facts, me),
        mediaUrl: media_url,
      }));
  }, [replies.data, details.data, asked, chat.contacto, me]);
  return { found, isPending: replies.isPending, isError: replies.isError, hasAny: (replies.data?.length ?? 0) > 0 };
}

/** Removes accents and converts the text to lower case. */
export const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

interface Facts {
  readonly nombre: string;
  readonly numero: string;
  /** Undefined until they are loaded. */
  readonly campos: Readonly<Record<string, string>> | undefined;
}

/**
 * Fills in the placeholders as the service does. An unknown placeholder becomes empty. A placeholder stays until its
 * value is loaded.
 */
function filled(text: string, facts: Facts, me: Me): string {
  return text.replace(/\{\{([^{}]+)\}\}/g, (whole, placeholder: string) => {
    const [whose = "", ...rest] = placeholder.trim().split(".");
    const what = rest.join(".").trim();
    switch (`${whose.trim()}.${what}`.toLowerCase()) {
      case "contacto.nombre":
        return facts.nombre;
      case "contacto.numero":
        return facts.numero;
      case "agente.nombre":
        return me.nombre;
      case "negocio.nombre":
        return me.empresa.nombre;
      default:
        if (whose.trim().toLowerCase() !== "contacto") return "";
        return facts.campos ? fieldOf(facts.campos, what) : whole;
    }
  });
}

function fieldOf(fields: NonNullable<Facts["campos"]>, wanted: string): string {
  const same = Object.keys(fields).find((name) => name.toLowerCase() === wanted.toLowerCase());
  return fields[wanted] ?? (same === undefined ? "" : (fields[same] ?? ""));
}

/** The text between a `/` at the start of a word and the cursor, or null if there is no such `/`. */
export function askedIn(text: string, cursor: number): string | null {
  const [, asked] = /(?:^|\s)\/(\S{0,40})$/.exec(text.slice(0, cursor)) ?? [];
  return asked ?? null;
}
