import { Ring } from "../core/bounded.ts";
import { BadInput, type Fields, fieldsIn, type Reader, type Settings, shape, text } from "../core/input.ts";
import { type Answer, ok, type Platform } from "../core/route.ts";
import { controlInput } from "../core/server.ts";

const keptRequests = 1_000;
const maxDrivers = 10_000;

const degrees =
  (limit: number): Reader<number> =>
  (value, name) => {
    if (typeof value === "number" && Math.abs(value) <= limit) return value;
    throw new BadInput(`${name} must be degrees from -${limit} to ${limit}`);
  };

const readPosition = shape({
  lat: degrees(90),
  lng: degrees(180),
  at: (value, name) => (value === undefined ? new Date().toISOString() : text(40)(value, name)),
});
type Position = Settings<typeof readPosition>;

const readPrice = shape({
  price: (value, name) => (value === null ? null : text(40)(value, name)),
});

/** What prices deliveries and what knows where drivers are. Neither knows anything until it is told. */
export function deliveryPlatform(): Platform {
  const quotes = new Ring<Fields>(keptRequests);
  const drivers = new Map<string, Position>();
  let price: string | null = null;

  return {
    routes: [
      {
        method: "POST",
        path: "/delivery-pricing/quotes",
        operation: "delivery_quote",
        handle({ body }) {
          const quote = fieldsIn(body);
          if (!quote) return { status: 400, body: { message: "the body must be a JSON object" } };
          quotes.push(quote);
          return price === null ? notFound("no price") : ok({ price });
        },
      },
      {
        method: "GET",
        path: "/driver-tracking/drivers/{driver}/location",
        operation: "driver_location",
        handle: ({ path }) => {
          const position = drivers.get(path.driver ?? "");
          return position ? ok(position) : notFound("unknown driver");
        },
      },
    ],
    control: [
      {
        method: "PUT",
        path: "/__sandbox/delivery-price",
        about: "what every delivery costs from now on, null for none: {price}",
        handle(call) {
          price = readPrice(controlInput(call), "body").price;
          return ok({ price });
        },
      },
      {
        method: "GET",
        path: "/__sandbox/delivery-quotes",
        about: "what prices were asked for, newest last",
        handle: () => ok([...quotes.newestFirst()].reverse()),
      },
      {
        method: "PUT",
        path: "/__sandbox/drivers/{driver}",
        about: "where a driver is, by tracking id: {lat, lng, at}",
        handle(call) {
          const driver = call.path.driver ?? "";
          if (!drivers.has(driver) && drivers.size >= maxDrivers) throw new BadInput(`at most ${maxDrivers} drivers`);
          const position = readPosition(controlInput(call), "position");
          drivers.set(driver, position);
          return ok({ driver, ...position });
        },
      },
    ],
    failure: ({ status = 400, message = "refused" }) => ({ status, body: { message } }),
    reset() {
      quotes.clear();
      drivers.clear();
      price = null;
    },
    close() {},
  };
}

const notFound = (message: string): Answer => ({ status: 404, body: { message } });
