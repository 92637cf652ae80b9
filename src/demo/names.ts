import type { Random } from "./random.ts";

const firstNames = [
  "Ana",
  "Luis",
  "María",
  "José",
  "Carla",
  "Diego",
  "Lucía",
  "Marco",
  "Paola",
  "Rodrigo",
  "Sofía",
  "Álvaro",
  "Valeria",
  "Hugo",
  "Camila",
  "Jorge",
  "Daniela",
  "Freddy",
  "Noelia",
  "Iván",
] as const;
const lastNames = [
  "Mamani",
  "Quispe",
  "Flores",
  "Vargas",
  "Choque",
  "Rojas",
  "Gutiérrez",
  "Condori",
  "Suárez",
  "Aguilar",
  "Medina",
  "Torrico",
  "Peredo",
  "Arce",
  "Limachi",
] as const;

export const fullName = (random: Random) => `${random.pick(firstNames)} ${random.pick(lastNames)}`;
