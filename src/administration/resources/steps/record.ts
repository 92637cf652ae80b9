export interface Step {
  readonly name: string;
  /** Unique within its script. */
  readonly identifier: string;
  /** Only steps of type `ticket` open tickets. */
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
  /** The id, as text, of the user who gets the step's tickets. */
  readonly agent: string | null;
  readonly nextStepId: number | null;
  /** A cycle of steps is allowed only if one of its steps has `loop`. */
  readonly loop: boolean;
  readonly aiPromptId: number | null;
  /** The script that the step belongs to. */
  readonly structureId: number | null;
  /** Comma-separated ids of tags. */
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
  /** Clients cannot write this field and those below. */
  readonly businessId?: number;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}
