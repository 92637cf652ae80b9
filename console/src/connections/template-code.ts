/** The options of a template for one-time codes. The platform writes the template's text. */
export interface CodeForm {
  /** Whether the text warns against sharing the code. */
  readonly warns: boolean;
  /** The minutes as the user typed them; empty if the code has no expiration. */
  readonly minutes: string;
  /** Empty for the platform's usual label. */
  readonly button: string;
}

export const emptyCode: CodeForm = { warns: true, minutes: "10", button: "" };

const mostMinutes = 90;
const longestButton = 25;

interface Words {
  readonly code: string;
  readonly warning: string;
  readonly expires: (minutes: string) => string;
  readonly button: string;
}

/** Texts that are similar to the platform's own. */
const words: Readonly<Record<string, Words>> = {
  es: {
    code: "{{1}} es tu código de verificación.",
    warning: "Por tu seguridad, no lo compartas.",
    expires: (minutes) => `Este código caduca en ${minutes} minutos.`,
    button: "Copiar código",
  },
  en: {
    code: "{{1}} is your verification code.",
    warning: "For your security, do not share this code.",
    expires: (minutes) => `This code expires in ${minutes} minutes.`,
    button: "Copy code",
  },
  pt: {
    code: "{{1}} é seu código de verificação.",
    warning: "Para sua segurança, não o compartilhe.",
    expires: (minutes) => `Este código expira em ${minutes} minutos.`,
    button: "Copiar código",
  },
};

const wordsIn = (language: string): Words => words[language.slice(0, 2)] ?? (words.en as Words);

interface Coded {
  readonly language: string;
  readonly code: CodeForm;
}

export const codeBody = ({ language, code }: Coded): string => {
  const said = wordsIn(language);
  return code.warns ? `${said.code} ${said.warning}` : said.code;
};

/** The message with an example code. */
export function codeMessage(form: Coded): { readonly body: string; readonly footer: string; readonly button: string } {
  const said = wordsIn(form.language);
  return {
    body: codeBody(form).replace("{{1}}", "123456"),
    footer: form.code.minutes === "" ? "" : said.expires(form.code.minutes),
    button: form.code.button || said.button,
  };
}

export const codeComponents = ({ warns, minutes, button }: CodeForm) => [
  { type: "BODY", add_security_recommendation: warns },
  ...(minutes === "" ? [] : [{ type: "FOOTER", code_expiration_minutes: Number(minutes) }]),
  { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE", ...(button.trim() && { text: button.trim() }) }] },
];

interface Part {
  readonly add_security_recommendation?: unknown;
  readonly code_expiration_minutes?: unknown;
  readonly buttons?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * The options in a template's parts. The editor supports only templates with a single button that copies the code. The
 * result is null for all other templates.
 */
export function codeIn(body: Part | undefined, footer: Part | undefined, buttons: Part | undefined): CodeForm | null {
  const [button, ...others] = buttons?.buttons ?? [];
  // For an approved template, the platform returns a URL button instead of the OTP button.
  const kind =
    button?.type === "OTP" ? button.otp_type : /\/otp\/code\/\?otp_type=(\w+)/.exec(String(button?.url))?.[1];
  if (button === undefined || kind !== "COPY_CODE" || others.length > 0) return null;
  const minutes = footer?.code_expiration_minutes;
  return {
    warns: body?.add_security_recommendation === true,
    minutes: typeof minutes === "number" ? String(minutes) : "",
    button: typeof button.text === "string" ? button.text : "",
  };
}

/** The platform's rules that the form breaks, by field. */
export function* codeBroken({
  minutes,
  button,
}: CodeForm): Generator<readonly [string, { readonly check: "minutes" | "tooLong"; readonly most: number }]> {
  const count = Number(minutes);
  if (minutes !== "" && !(Number.isInteger(count) && count >= 1 && count <= mostMinutes)) {
    yield ["code.minutes", { check: "minutes", most: mostMinutes }];
  }
  if ([...button].length > longestButton) yield ["code.button", { check: "tooLong", most: longestButton }];
}
