import { inspect } from 'node:util'

/** A secret value that is masked in text, JSON and logs. Only `reveal` returns it. */
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
