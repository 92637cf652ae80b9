export interface QuickReply {
  readonly name: string;
  /** With placeholders like `{{contacto.nombre}}`. */
  readonly text: string;
  readonly mediaUrl: string | null;
}
