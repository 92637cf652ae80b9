import type { Cells } from "../../../infra/postgres/cells.ts";
import type { StatementCall } from "../../../infra/postgres/dynamic-sql.ts";
import { statement } from "../../../infra/postgres/statement.ts";
import type {
  CancelledFilter,
  CancelledOrder,
  ListedOrder,
  OrderFilter,
  OrderLists,
  Page,
  PageRequest,
  TabCounts,
} from "../../application/reads/ports.ts";
import { orderStates, statusOf } from "../../domain/states.ts";
import { cancelledCall, countsCall, listCall, ofChatCall, planOf, searchCall } from "./list-sql.ts";
import { withIsoDates } from "./order-sql.ts";

const plan = statement("orders_plan")`select ${planOf} from businesses as business where id = $1`;

interface PageRow<Item> {
  readonly planned?: boolean;
  readonly total: number;
  readonly items: readonly Item[] | null;
}

export class PostgresOrderLists implements OrderLists {
  constructor(private readonly cells: Cells) {}

  list(businessId: number, filter: OrderFilter, page: PageRequest): Promise<Page<ListedOrder> | null> {
    return this.listed(businessId, listCall(businessId, filter, page), page.signal);
  }

  search(businessId: number, text: string, page: PageRequest): Promise<Page<ListedOrder> | null> {
    return this.listed(businessId, searchCall(businessId, text, page), page.signal);
  }

  async counts(businessId: number, filter: Omit<OrderFilter, "tab">, signal: AbortSignal): Promise<TabCounts | null> {
    const { statement, values } = countsCall(businessId, filter);
    const [row] = await this.cells.of(businessId).rows<CountsRow>(statement, values, signal);
    if (!row?.planned) return null;
    const counted = orderStates.map((state) => [state, row.counts?.[statusOf[state]] ?? 0]);
    return Object.fromEntries(counted) as TabCounts;
  }

  async cancelled(businessId: number, filter: CancelledFilter, page: PageRequest): Promise<Page<CancelledOrder>> {
    const { statement, values } = cancelledCall(businessId, filter, page);
    const [row] = await this.cells.of(businessId).rows<PageRow<CancelledOrder>>(statement, values, page.signal);
    return { total: row?.total ?? 0, items: (row?.items ?? []).map(withIsoDates) };
  }

  async ofChat(businessId: number, chatId: number, limit: number): Promise<readonly ListedOrder[]> {
    return (await this.listed(businessId, ofChatCall(businessId, chatId, limit)))?.items ?? [];
  }

  async hasPlan(businessId: number): Promise<boolean> {
    const [row] = await this.cells.of(businessId).rows<{ planned: boolean }>(plan, [businessId]);
    return row?.planned ?? false;
  }

  private async listed(
    businessId: number,
    { statement, values }: StatementCall,
    signal?: AbortSignal,
  ): Promise<Page<ListedOrder> | null> {
    const [row] = await this.cells.of(businessId).rows<PageRow<ListedOrder>>(statement, values, signal);
    return row?.planned ? { total: row.total, items: (row.items ?? []).map(withIsoDates) } : null;
  }
}

interface CountsRow {
  readonly planned: boolean;
  readonly counts: Readonly<Record<number, number>> | null;
}
