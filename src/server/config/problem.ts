/** Problems of a configuration, and the error that lists them. */

export type Origin = 'flag' | 'environment' | 'file' | 'default'

/** One problem: its place, and the value that was expected there. */
export interface ConfigProblem {
  /** The setting, if known; absent when the whole file cannot be read. */
  key?: string
  origin: Origin
  /** `<file>:<line>`, or the name of the environment variable. */
  place?: string
  /** The problem and the expected form, without the place. Never contains the value of a secret. */
  message: string
  /** The known setting (or variable) with the most similar name. */
  nearest?: string
}

/** Error of an invalid configuration; lists every problem. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly ConfigProblem[]) {
    super(problems.map(problemText).join('\n'))
    this.name = 'ConfigError'
  }
}

/** `config.toml:3: http.prot is not a setting; did you mean http.port?` */
export function problemText(problem: ConfigProblem): string {
  const place = problem.place === undefined ? '' : `${problem.place}: `
  const hint = problem.nearest === undefined ? '' : `; did you mean ${problem.nearest}?`
  return `${place}${problem.message}${hint}`
}
