import type { Page } from "playwright-core";
import { aBusiness } from "../support/world.ts";
import { setStage } from "./stage.ts";
import { picture } from "./thread-bench.ts";

describe("the console's uploads", () => {
  const stage = setStage({ businesses: [aBusiness(1)], keepsMedia: true });

  const seat = (view: string) => stage.seat(101, view);
  const chooseFile = (page: Page) =>
    page.locator("input[type=file]").setInputFiles({ name: "a.png", mimeType: "image/png", buffer: picture });

  it("fail if the answer is empty, and succeed at the next try", async () => {
    const page = await seat("settings/quick-replies?record=new");
    await page.route("**/media", (route) => route.fulfill({ status: 503, body: "" }), { times: 1 });
    await chooseFile(page);
    await page.getByRole("alert").waitFor();
    await chooseFile(page);
    await page.getByRole("img", { name: "Vista previa de Archivo" }).waitFor();
  });
});
