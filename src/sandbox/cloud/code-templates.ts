import { type Fields, isObject } from "../core/input.ts";

const sentences: Readonly<Record<string, readonly [code: string, warning: string]>> = {
  es: ["*{{1}}* es tu código de verificación.", " Por tu seguridad, no lo compartas."],
  en: ["*{{1}}* is your verification code.", " For your security, do not share this code."],
};

/** Templates for one-time codes as the platform lists them: with its own text, and a button that opens an address. */
export function expandCodeTemplates(category: unknown, components: Fields[], language: string): Fields[] {
  if (category !== "AUTHENTICATION") return components;
  const [code, warning] = sentences[language.slice(0, 2)] ?? sentences.en ?? ["", ""];
  return components.map((part) => {
    if (part.type === "BODY" && part.text === undefined) {
      const text = part.add_security_recommendation === true ? code + warning : code;
      return { ...part, text, example: { body_text: [["123456"]] } };
    }
    if (part.type !== "BUTTONS" || !Array.isArray(part.buttons)) return part;
    return { ...part, buttons: part.buttons.map((button) => (isObject(button) ? openedButton(button) : button)) };
  });
}

function openedButton(button: Fields): Fields {
  if (button.type !== "OTP") return button;
  const url = `https://www.whatsapp.com/otp/code/?otp_type=${button.otp_type}&code=otp{{1}}`;
  return { type: "URL", text: button.text ?? "Copy code", url, example: [url.replace("{{1}}", "123456")] };
}
