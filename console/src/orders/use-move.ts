import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../app/session.ts";
import { Refused } from "../shared/api.ts";
import { notice } from "../shared/notice.ts";
import { isOpenAfter } from "../shared/once.ts";
import { queryClient } from "../shared/query.ts";
import { placeCard, recount } from "./board.ts";
import { keepingFocus } from "./keep-focus.ts";
import {
  type Card,
  cardOf,
  fetchOrder,
  moveOrder,
  nextStates,
  orderKey,
  type State,
  stateOf,
  statusOf,
} from "./orders.ts";

/**
 * Shows the card in its new column at once. If the move fails, the card goes to its actual column. A notice says why.
 */
export function useMove() {
  const { t } = useTranslation("orders");
  const { administrador, empresa } = useMe();
  const [cancelling, setCancelling] = useState<Card | null>(null);

  const refuse = (card: Card, why: string): void => {
    notice({ isFailure: true, title: t("notMoved", { id: card.id }), message: why });
  };
  /** The order as the service has it, since a colleague may have moved it. Undefined if it cannot be read. */
  const orderNow = (id: number): Promise<Card | undefined> =>
    fetchOrder(empresa.id, id).then(
      (found) => found?.order && cardOf(found.order, found.version),
      () => undefined,
    );
  const send = async (card: Card, to: State, reason: string | null): Promise<void> => {
    keepingFocus(card.id, () => placeCard({ ...card, status: statusOf[to] }));
    try {
      placeCard(await moveOrder(card.id, to, reason));
    } catch (error) {
      const now = await orderNow(card.id);
      keepingFocus(card.id, () => placeCard(now ?? card));
      // The move succeeded, but its answer was lost.
      if (now && stateOf(now) === to && isOpenAfter(error)) return;
      if (now && stateOf(now) !== stateOf(card))
        refuse(card, t("refused.movedOn", { state: t(`state.${stateOf(now)}`) }));
      else refuse(card, t(error instanceof Refused ? reasonOf(error) : "refused.unreachable"));
    } finally {
      recount();
      void queryClient.invalidateQueries({ queryKey: orderKey(card.id) });
    }
  };
  const move = (card: Card, to: State): void => {
    if (stateOf(card) === to) return;
    if (!nextStates(card, administrador).includes(to)) refuse(card, t(whyNot(card, to, administrador)));
    else if (to === "cancelled") setCancelling(card);
    else void send(card, to, null);
  };
  const endCancelling = (reason: string | null): void => {
    if (cancelling && reason !== null) void send(cancelling, "cancelled", reason);
    setCancelling(null);
  };
  return { move, cancelling, endCancelling };
}

function whyNot(card: Card, to: State, administrador: boolean) {
  if (card.shipment_method === "pickup" && to === "on-the-way") return "refused.pickup" as const;
  if (!administrador && nextStates(card, true).includes(to)) return "refused.forbidden" as const;
  return "refused.step" as const;
}

/** The reason in words for users. The service's own messages are meant for programs. */
function reasonOf({ status }: Refused) {
  if (status === 409) return "refused.step" as const;
  if (status === 403) return "refused.forbidden" as const;
  if (status === 412) return "refused.changed" as const;
  return "refused.failed" as const;
}
