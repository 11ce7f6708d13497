/** One example call of a method, as documents show it. */
export interface Example {
  /** Parameters, those of the path too. */
  params?: Readonly<Record<string, unknown>> | readonly unknown[]
  /** The result as JSON, without `meta`. */
  answer?: unknown
  /** The body of an answer that is text. */
  text?: string
  /** The address of a redirect without a body. */
  location?: string
  /** The status over HTTP, where it depends on the result. */
  status?: number
  /** A file that is sent along. */
  file?: string
  /** What the header Authorization holds in place of the token of an access. */
  authorization?: string
  /** Further headers and options of the HTTP request, as options of curl. */
  curl?: readonly string[]
  /** Cannot be called by `coffer api`: it takes a password or token of its own, or answers bytes. */
  httpOnly?: true
}

export type Examples = Readonly<Record<string, Example>>
