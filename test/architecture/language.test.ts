import { readdir, readFile } from "node:fs/promises";
import { expect } from "chai";

/** Spanish and misspelled words in the names that the API uses, in the singular. */
const wireNames = new Set(
  [
    "adress agente anuncio archivo articulo campana catalogo clave codigo contacto contenido conversacion cotizacion",
    "departamento descripcion detalle empresa estado etiqueta identificador iniciador mensaje nombre numero opcion",
    "paso pedido pendiente plantilla precio proceso qoutation soporte sucursal telefono tipo titulo ultimo usuario",
    "venta zona",
  ].flatMap((line) => line.split(" ")),
);

/** Places that use the wire's names: routes, events, pages, the sandbox and the demo's texts. */
const speaksTheWire =
  /^src\/(\w+\/adapters\/(http|realtime|wire|html)\/|administration\/resources\/[^/]+\/http[.]ts$|(sandbox|demo)\/)/;

/** By folder: names of the wire that are allowed there. The envelope of events has the field `empresa_id`. */
const exceptions: Readonly<Record<string, readonly string[]>> = { "src/infra/realtime/": ["empresa"] };

/** Names of the wire in a text, including parts of `camelCase` and `snake_case`. */
function wireNamesIn(text: string): string[] {
  const words = (text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+/gu) ?? []).map((word) => word.toLowerCase());
  return words.filter((word) => [word, word.replace(/s$/, ""), word.replace(/es$/, "")].some((w) => wireNames.has(w)));
}

describe("the Spanish names of the API", () => {
  it("are not used in the core, the stores, the technology and the columns", async () => {
    const folders = ["src", "migrations"];
    const listed = await Promise.all(
      folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((file) => `${folder}/${file}`)),
    );
    const files = listed.flat().filter((file) => file.endsWith(".ts") && !speaksTheWire.test(file));
    for (const place of [
      "src/kernel/",
      "/domain/",
      "/application/",
      "src/infra/",
      "/adapters/postgres/",
      "migrations/",
    ]) {
      expect(
        files.some((file) => file.includes(place)),
        place,
      ).to.equal(true);
    }
    for (const file of files) {
      const [, allowed = []] = Object.entries(exceptions).find(([place]) => file.startsWith(place)) ?? [];
      const found = wireNamesIn(await readFile(file, "utf8")).filter((name) => !allowed.includes(name));
      expect(found, file).to.deep.equal([]);
    }
  });

  it("are found in any spelling", () => {
    const written = "empresa_id idPlantilla Sucursales MENSAJES raw_adress cotizaciones qoutationConversionRate";
    expect(wireNamesIn(written)).to.deep.equal([
      "empresa",
      "plantilla",
      "sucursales",
      "mensajes",
      "adress",
      "cotizaciones",
      "qoutation",
    ]);
    expect(wireNamesIn("amazonaws preventable agent passport address tips zone numeric")).to.deep.equal([]);
  });
});
