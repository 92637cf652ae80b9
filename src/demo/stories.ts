import type { MessageFixture, ThreadFixture, UserFixture } from "../fixtures/businesses/business.ts";
import { cloudChannel, photoChannel, providerBChannel } from "../kernel/channels.ts";
import { hourMs, minuteMs } from "../kernel/instants.ts";
import type { Random } from "../sandbox/core/random.ts";
import {
  agent,
  channelPlots,
  complaint,
  first,
  type Line,
  plots,
  type Scene,
  type Setting,
  shortPlots,
  waiting,
} from "./scenes.ts";

const dishes = [
  ["Fricasé paceño", 42],
  ["Silpancho familiar", 48],
  ["Plato paceño", 38],
  ["Sajta de pollo", 40],
  ["Pique macho", 55],
  ["Chairo", 30],
] as const;
const zones = ["Sopocachi", "Miraflores", "San Miguel", "Obrajes", "Achumani", "Villa Fátima"] as const;

const states = ["in_progress", "pending", "in_progress", "closed", "bot", "in_progress"] as const;

/** How many of the cloud threads become long stories, and how many need a template because their window is over. */
export const longStories = 18;
export const overdueStories = 8;

interface Place {
  readonly shop: string;
  readonly departmentIds: readonly number[];
  readonly users: readonly UserFixture[];
  readonly now: Date;
  readonly random: Random;
}

/**
 * Replaces the threads at the indexes `chosen`. Most of the new threads are long and end in the last hours. They are in
 * every state, and some have unread messages. In the last few new threads of the cloud channel the service window is
 * over: the customer wrote more than a day ago, and since then only a template or an agent wrote.
 */
export function withStories(
  threads: readonly ThreadFixture[],
  chosen: readonly number[],
  place: Place,
): ThreadFixture[] {
  const numbers = new Map(chosen.map((index, number) => [index, number]));
  return threads.map((thread, index) => {
    const number = numbers.get(index);
    if (number === undefined) return thread;
    if (thread.channel !== undefined && thread.channel !== cloudChannel) return channelStory(thread, number, place);
    const scenes = plots[number % plots.length] ?? [];
    return number < longStories ? longStory(thread, number, scenes, place) : overdueStory(thread, number, place);
  });
}

/** Four threads in a row have the same plot. They are on different channels, so that each channel gets every plot. */
const scenesInTurn = (number: number): readonly Scene[] =>
  channelPlots[Math.floor(number / otherChannels) % channelPlots.length] ?? [];
const otherChannels = 4;

/** Leaves out what a platform cannot report: ProviderB reports no reactions, and photo accounts report no delivery. */
function channelStory(thread: ThreadFixture, number: number, place: Place): ThreadFixture {
  const story = longStory(thread, number, scenesInTurn(number), place);
  const last = story.messages.findLast(({ direction, internal }) => direction === "out" && !internal);
  return {
    ...story,
    messages: story.messages.map(({ reactions = [], ...message }) => ({
      ...{ ...message, reactions: thread.channel === providerBChannel ? [] : reactions },
      ...(message.at === last?.at && { state: thread.channel === photoChannel ? "sent" : "delivered" }),
    })),
  };
}

function longStory(thread: ThreadFixture, number: number, scenes: readonly Scene[], place: Place): ThreadFixture {
  const { random, departmentIds } = place;
  const state = random.pick([states[number % states.length] ?? "bot"]);
  const unread = state === "closed" ? 0 : state === "in_progress" ? number % 3 : waitingLines;
  const setting = settingOf(thread, place);
  const lines = linesOf([...scenes, ...(unread > 0 ? [waiting] : [])], setting);
  const shown = unread > 0 ? lines.slice(0, lines.length - waitingLines + unread) : lines;
  const end = place.now.getTime() - random.between(4, 14 * 60) * minuteMs;
  return {
    ...thread,
    state,
    supportUserId: state === "in_progress" || state === "closed" ? setting.agent.id : null,
    departmentId: departmentIds[scenes.includes(complaint) ? 1 : 0] ?? null,
    unread,
    messages: timed(shown, setting, end, random),
  };
}

const waitingLines = 3;

/** Scenes 3, 5 and so on begin hours after the scene before them. */
const linesOf = (scenes: readonly Scene[], setting: Setting): Line[] =>
  scenes.flatMap((scene, nth) =>
    scene(setting).map((line, index) => ({ ...line, isLater: index === 0 && nth > 0 && nth % 2 === 0 })),
  );

function overdueStory(thread: ThreadFixture, number: number, place: Place): ThreadFixture {
  const { random, now, departmentIds } = place;
  const setting = settingOf(thread, place);
  const lines = linesOf(shortPlots[number % shortPlots.length] ?? [], setting);
  const lastWord = now.getTime() - random.between(30, 70) * hourMs;
  const earlier = timed(lines, setting, lastWord, random);
  const followUp: Line =
    number % 2 === 0
      ? {
          by: "template",
          text: `Hola ${first(thread.name)}, ¿cómo estuvo tu pedido? Responde a este mensaje y te atendemos.`,
        }
      : agent(`Hola ${first(thread.name)}, te guardamos una porción de ${setting.dish} como pediste.`);
  const sent = now.getTime() - random.between(30, 12 * 60) * minuteMs;
  return {
    ...thread,
    state: "in_progress",
    supportUserId: setting.agent.id,
    departmentId: departmentIds[0] ?? null,
    unread: 0,
    messages: [...earlier, messageOf(followUp, earlier.length, setting, new Date(sent))],
  };
}

function settingOf(thread: ThreadFixture, { shop, users, random }: Place): Setting {
  const [dish, price] = random.pick(dishes);
  const agents = users.slice(1, 3);
  return { customer: thread.name, agent: random.pick(agents), shop, dish, price, zone: random.pick(zones) };
}

/** The last message is sent at `end`. There are minutes or hours between two messages. */
function timed(lines: readonly Line[], setting: Setting, end: number, random: Random): MessageFixture[] {
  const gaps = lines.map(({ isLater }) => (isLater ? random.between(2, 16) * 60 : random.between(1, 5)));
  let at = end - gaps.slice(1).reduce((sum, gap) => sum + gap, 0) * minuteMs;
  return lines.map((line, index) => {
    if (index > 0) at += (gaps[index] ?? 1) * minuteMs;
    return messageOf(line, index, setting, new Date(at));
  });
}

function messageOf(line: Line, index: number, { customer, agent: user, shop }: Setting, at: Date): MessageFixture {
  const { by, text, file, place, answers, reaction } = line;
  const author = { customer: "contact", agent: "user", note: "user", bot: "bot", template: "business" } as const;
  const names = { customer, agent: user.name, note: user.name, bot: "Bot", template: shop };
  const reactor =
    reaction?.by === "customer" ? { from: "contact", author: customer } : { from: user.id, author: user.name };
  return {
    direction: by === "customer" ? "in" : "out",
    kind: kindOf(line),
    body: text,
    author: author[by],
    authorName: names[by],
    authorUserId: author[by] === "user" ? user.id : null,
    state: by === "customer" ? "received" : by === "note" ? "sent" : "read",
    internal: by === "note",
    at,
    ...(file && { attachment: { kind: file.kind, name: file.name, bytes: file.content.length }, mediaUrl: file.path }),
    ...(place && { details: { location: place } }),
    ...(answers !== undefined && { answers: index - answers }),
    ...(reaction && { reactions: [{ ...reactor, emoji: reaction.emoji, at }] }),
  };
}

const kindOf = ({ by, file, place }: Line): string => {
  if (by === "note" || by === "template") return by;
  return place ? "location" : (file?.kind ?? "text");
};
