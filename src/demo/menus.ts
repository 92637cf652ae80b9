import type { Place } from "../fixtures/businesses/shop.ts";

export interface Menu {
  /** The prefix of the articles' retailer ids. */
  readonly code: string;
  readonly center: Place;
  readonly branches: readonly string[];
  /** The price of the delivery to each zone. */
  readonly zones: Readonly<Record<string, number>>;
  /** Name, price and type. The type is `item` if it is left out. */
  readonly articles: readonly (readonly [string, number, string?])[];
  /** The charge of each extra. */
  readonly extras: Readonly<Record<string, number>>;
}

const dishes: Omit<Menu, "center" | "branches" | "zones"> = {
  code: "SA",
  articles: [
    ["Silpancho", 32],
    ["Silpancho familiar", 98.5],
    ["Pique macho", 65],
    ["Sopa de maní", 18],
    ["Fricasé", 38],
    ["Sajta de pollo", 34.5],
    ["Chairo paceño", 22],
    ["Plato paceño", 30],
    ["Saice", 29.9],
    ["Falso conejo", 33],
    ["Salteña de carne", 8.5],
    ["Salteña de pollo", 8.5],
    ["Anticuchos (4 unidades)", 25],
    ["Ensalada de quinua", 24],
    ["Refresco de mocochinchi", 7],
    ["Jarra de limonada", 21.5],
    ["Helado de canela", 9.9],
    ["Menú ejecutivo", 27],
    ["Envío gratis", 0, "free_delivery"],
    ["Envío express", 5, "delivery"],
  ],
  extras: {
    Llajua: 1,
    "Huevo frito": 4,
    "Porción de arroz": 6.5,
    Queso: 5,
    "Porción grande": 12.5,
    "Salsa de maní": 3.2,
  },
};

const coffees: Omit<Menu, "center" | "branches" | "zones"> = {
  code: "CI",
  articles: [
    ["Espresso", 10],
    ["Americano", 12],
    ["Capuchino", 17.5],
    ["Café con leche", 15],
    ["Api con pastel", 12.2],
    ["Té de coca", 8],
    ["Chocolate caliente", 16],
    ["Empanada de queso", 7.5],
    ["Cuñapé", 4.5],
    ["Sándwich de chola", 22],
    ["Torta de zanahoria", 18.9],
    ["Café de Caranavi, 500 g", 68],
    ["Envío gratis", 0, "free_delivery"],
  ],
  extras: { "Leche de almendra": 4, "Carga extra": 5.5, Crema: 3, "Tamaño grande": 6 },
};

const laPaz: Pick<Menu, "center" | "branches" | "zones"> = {
  center: { latitude: -16.504, longitude: -68.13 },
  branches: ["Sopocachi", "Centro", "Calacoto"],
  zones: { Sopocachi: 8, Centro: 10.5, Calacoto: 15, Miraflores: 12, "San Pedro": 9.5 },
};

/** The products, places and prices of each business. */
export const menus = {
  andeanLaPaz: { ...dishes, ...laPaz },
  andeanCochabamba: {
    ...dishes,
    center: { latitude: -17.389, longitude: -66.157 },
    branches: ["Recoleta", "Cala Cala"],
    zones: { Recoleta: 9, "Cala Cala": 11, "Queru Queru": 10 },
  },
  coffeeLaPaz: { ...coffees, ...laPaz, branches: ["San Miguel", "El Prado"] },
  coffeeElAlto: {
    ...coffees,
    center: { latitude: -16.51, longitude: -68.19 },
    branches: ["Ciudad Satélite", "La Ceja"],
    zones: { "Ciudad Satélite": 7, "La Ceja": 8.5 },
  },
} as const satisfies Readonly<Record<string, Menu>>;
