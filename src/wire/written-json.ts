/** A value whose JSON is there already, and is sent as it is. */
export class WrittenJson<Value extends object> {
  declare readonly value: Value;

  /** @param bytes UTF-8 */
  constructor(readonly bytes: Buffer) {}

  parsed(): Value {
    return JSON.parse(this.bytes.toString()) as Value;
  }
}
