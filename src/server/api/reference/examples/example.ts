/** Example call of a method for documents. */
export interface Example {
  /** Parameters, including those of the path. */
  params?: Readonly<Record<string, unknown>> | readonly unknown[]
  /** The result as JSON, without `meta`. */
  answer?: unknown
  /** Body of a text response. */
  text?: string
  /** Location of a redirect without a body. */
  location?: string
  /** HTTP status, when it depends on the result. */
  status?: number
  /** File sent with the call. */
  file?: string
  /** Value of the Authorization header, instead of an access token. */
  authorization?: string
  /** Additional curl options, such as further headers. */
  curl?: readonly string[]
  /** True when `coffer api` cannot make the call: it needs its own password or token, or returns bytes. */
  httpOnly?: true
}

export type Examples = Readonly<Record<string, Example>>
