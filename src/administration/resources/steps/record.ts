export interface Step {
  readonly name: string;
  /** Unique within its script. */
  readonly identifier: string;
  /** What it does; only those of type `ticket` open tickets. */
  readonly type: string;
  readonly content: string;
  readonly variable: string;
  readonly media: string | null;
  readonly mediaType: string | null;
  readonly mediaUrl: string | null;
  readonly parentStepId: number | null;
  readonly description: string | null;
  /** JSON text. */
  readonly buttons: string | null;
  readonly optionsTitle: string | null;
  /** JSON text. */
  readonly options: string | null;
  readonly departmentId: number | null;
  readonly initial: boolean;
  readonly catalogId: number | null;
  /** The id of the user who takes its tickets, as text. */
  readonly agent: string | null;
  readonly nextStepId: number | null;
  /** A circle of steps may go through it. */
  readonly loop: boolean;
  readonly aiPromptId: number | null;
  /** The script that it is a step of. */
  readonly structureId: number | null;
  /** Ids of tags, with commas between them. */
  readonly tags: string | null;
  readonly mapsSearch: string | null;
  /** Meters. */
  readonly mapsRadius: number | null;
  readonly helperData: object | null;
  readonly initiator: string | null;
  /** JSON text of ids. */
  readonly catalogs: string | null;
  readonly checkBranch: boolean | null;
  readonly flowId: string | null;
  /** Only read, as those that follow. */
  readonly businessId?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}
