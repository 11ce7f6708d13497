import { inspect } from 'node:util'

/** A value that does not print: not as text, not as JSON, not in a log. `reveal` is the only way to it. */
export class Secret<T> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  reveal(): T {
    return this.#value
  }

  toString(): string {
    return '•••'
  }

  toJSON(): string {
    return '•••'
  }

  [inspect.custom](): string {
    return '•••'
  }
}
