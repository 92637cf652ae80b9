export interface Branch {
  readonly name: string;
}
