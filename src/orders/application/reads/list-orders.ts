import { instantOf } from "../../../kernel/instants.ts";
import { type Zones, zoneOfTexts } from "../../../kernel/zones.ts";
import { PlanMissing, WrongPeriod } from "../../domain/failures.ts";
import type {
  CancelledFilter,
  CancelledOrder,
  ListedOrder,
  OrderFilter,
  OrderLists,
  Page,
  PageRequest,
  Period,
  TabCounts,
} from "./ports.ts";

/** Bounds as the caller wrote them, in ISO 8601. A bound without a time zone is in the business's time zone. */
interface WrittenPeriod {
  readonly from: string | null;
  readonly to: string | null;
}

type Written<Filter extends Period> = Omit<Filter, keyof Period> & WrittenPeriod;

export type ListOrdersFailure = PlanMissing | WrongPeriod;

/** §13, §14 Lists of orders, newest first. */
export class ListOrders {
  constructor(
    private readonly lists: OrderLists,
    private readonly zones: Zones,
  ) {}

  /** `to` is exclusive. Rejects with `PlanMissing` and `WrongPeriod`. */
  async list(businessId: number, filter: Written<OrderFilter>, page: PageRequest): Promise<Page<ListedOrder>> {
    const period = await this.periodOf(businessId, filter, false);
    return planned(await this.lists.list(businessId, { ...filter, ...period }, page));
  }

  /** The number of orders in each tab. `to` is exclusive. Rejects with `PlanMissing` and `WrongPeriod`. */
  async counts(businessId: number, filter: Written<Omit<OrderFilter, "tab">>, signal: AbortSignal): Promise<TabCounts> {
    const period = await this.periodOf(businessId, filter, false);
    return planned(await this.lists.counts(businessId, { ...filter, ...period }, signal));
  }

  /** Rejects with `PlanMissing`. */
  async search(businessId: number, text: string, page: PageRequest): Promise<Page<ListedOrder>> {
    return planned(await this.lists.search(businessId, text, page));
  }

  /** Rejects with `PlanMissing` if the business has no plan. A route that reads only one order calls this first. */
  async requirePlan(businessId: number): Promise<void> {
    planned((await this.lists.hasPlan(businessId)) ? true : null);
  }

  /** `to` is inclusive; without a time it means the end of its day. Rejects with `WrongPeriod`. */
  async cancelled(
    businessId: number,
    filter: Written<CancelledFilter>,
    page: PageRequest,
  ): Promise<Page<CancelledOrder>> {
    const { from, to } = await this.periodOf(businessId, filter, true);
    // Stored times have microseconds, but callers write milliseconds. So the whole last millisecond is included.
    const end = to && new Date(to.getTime() + 1);
    return this.lists.cancelled(businessId, { ...filter, from, to: end }, page);
  }

  private async periodOf(businessId: number, written: WrittenPeriod, endOfDay: boolean): Promise<Period> {
    const zone = await zoneOfTexts(this.zones, businessId, [written.from, written.to]);
    const from = boundOf("from", written.from, zone, false);
    const to = boundOf("to", written.to, zone, endOfDay);
    if (from && to && from > to) throw new WrongPeriod("from", "reversed");
    return { from, to };
  }
}

function boundOf(bound: "from" | "to", written: string | null, zone: string, endOfDay: boolean): Date | null {
  if (written === null) return null;
  const at = instantOf(written, zone, endOfDay);
  if (!at) throw new WrongPeriod(bound, "unreadable");
  return at;
}

function planned<Answer>(answer: Answer | null): Answer {
  if (answer === null) throw new PlanMissing("the business has no plan");
  return answer;
}
