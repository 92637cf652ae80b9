import { Ring } from "../core/bounded.ts";
import {
  BadInput,
  degrees,
  type Fields,
  fieldsIn,
  optional,
  reader,
  type Settings,
  shape,
  text,
} from "../core/input.ts";
import { control, type Platform, Refusal } from "../core/route.ts";

const keptRequests = 1_000;
const maxDrivers = 10_000;

const readPosition = shape({ lat: degrees(90), lng: degrees(180), at: optional(text(40)) });
type Position = Settings<typeof readPosition>;

const readPrice = shape({ price: reader<string | null>({ ...text(40).json, type: ["string", "null"] }) });

/** Stand-ins for the pricing of deliveries and the tracking of drivers. The control side sets prices and positions. */
export function deliveryPlatform(): Platform {
  const quotes = new Ring<Fields>(keptRequests);
  const drivers = new Map<string, Position>();
  let price: string | null = null;

  return {
    routes: [
      {
        route: "POST /delivery-pricing/quotes",
        operation: "delivery_quote",
        handle({ body }) {
          const quote = fieldsIn(body);
          if (!quote) throw refusal(400, "the body must be a JSON object");
          quotes.push(quote);
          if (price === null) throw refusal(404, "no price");
          return { price };
        },
      },
      {
        route: "GET /driver-tracking/drivers/{driver}/location",
        operation: "driver_location",
        handle({ path: { driver = "" } }) {
          const position = drivers.get(driver);
          if (!position) throw refusal(404, "unknown driver");
          return position;
        },
      },
    ],
    control: [
      control(
        "PUT /__sandbox/delivery-price",
        "what every delivery costs from now on, null for none: {price}",
        (input) => {
          price = readPrice(input, "body").price;
          return { price };
        },
      ),
      control("GET /__sandbox/delivery-quotes", "what prices were asked for, newest last", () => quotes.oldestFirst()),
      control(
        "PUT /__sandbox/drivers/{driver}",
        "where a driver is, by tracking id: {lat, lng, at}",
        (input, { path }) => {
          const { driver = "" } = path;
          if (!drivers.has(driver) && drivers.size >= maxDrivers) throw new BadInput(`at most ${maxDrivers} drivers`);
          const position = { at: new Date().toISOString(), ...readPosition(input, "position") };
          drivers.set(driver, position);
          return { driver, ...position };
        },
      ),
    ],
    failure: ({ status = 400, message = "refused" }) => ({ status, body: { message } }),
    reset() {
      quotes.clear();
      drivers.clear();
      price = null;
    },
  };
}

const refusal = (status: number, message: string): Refusal => new Refusal({ code: 0, status, message });
