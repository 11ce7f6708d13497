/** What can be wrong with a configuration, told so that a person can mend it. */

export type Origin = 'flag' | 'environment' | 'file' | 'default'

/** One mistake: where it stands, and what was expected there. */
export interface ConfigProblem {
  /** The setting, as far as it can be told; absent when a whole file cannot be read. */
  key?: string
  origin: Origin
  /** `<file>:<line>`, or the name of the environment variable. */
  place?: string
  /** What is wrong and what is expected, without the place. Never holds the value of a secret. */
  message: string
  /** The known setting (or variable) that was probably meant. */
  nearest?: string
}

/** A configuration that cannot be used; names every mistake at once. */
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
