/** asl-validator 4 ships no types. */
declare module 'asl-validator' {
  function validate(definition: unknown): { isValid: boolean; errorsText(): string }
  export = validate
}
