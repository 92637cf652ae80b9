import type { Media } from "../../domain/template.ts";
import type { MediaRegister } from "../media/ports.ts";
import { ownNameIn } from "../media/read-media.ts";

/**
 * Gives a document in a message the name under which the business stored it. Without a name, the customer would see the
 * generated name in the file's URL.
 */
export class NameDocuments {
  constructor(
    private readonly register: Pick<MediaRegister, "fileNameOf">,
    /** Ends in a slash; empty if files have no URL. */
    private readonly baseUrl: string,
  ) {}

  /** Never rejects. If the name cannot be read, the document is sent without it. */
  async named<Content extends { readonly media?: Media | null }>(
    businessId: number,
    content: Content,
  ): Promise<Content> {
    const { media } = content;
    if (media?.type !== "document") return content;
    const stored = ownNameIn(media.link, this.baseUrl);
    if (!stored) return content;
    const name = await this.register.fileNameOf(businessId, stored).catch(() => null);
    return name === null ? content : { ...content, media: { ...media, name } };
  }
}
