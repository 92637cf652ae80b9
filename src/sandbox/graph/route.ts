import { type Call, ok, type PlatformRoute } from "../core/route.ts";
import { type ErrorStatuses, GraphError, graphAnswer } from "./errors.ts";

/** Makes routes whose `GraphError`s are answered as such. */
export const graphRoute =
  (statuses: ErrorStatuses) =>
  (
    method: PlatformRoute["method"],
    path: string,
    operation: string,
    handle: (call: Call) => object,
    onRefusal: () => void = () => {},
  ): PlatformRoute => ({
    method,
    path,
    operation,
    handle(call) {
      try {
        return ok(handle(call));
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        onRefusal();
        return graphAnswer(error, statuses.of(error.code));
      }
    },
  });
