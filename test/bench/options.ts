/** Options of the benchmark. */
import { parseArgs } from 'node:util'

export interface Options {
  /** Rows to run, by id or by a prefix of it; all when empty. */
  only: readonly string[]
  /** Duration of the load of each row. */
  seconds: number
  /** Includes rows that take minutes to prepare. */
  long: boolean
  json: boolean
  /** Folder of another build, with which rows of calls and pages are compared. */
  against?: string
  /** Folder for a CPU profile of the measured node. */
  profile?: string
}

export const usage = `npm run bench -- [options]
  --only <row>        Run rows by id or prefix of it; repeatable
  --seconds <n>       Seconds per row (default 5), plus half of it for each floor
  --long              Include rows with a long preparation; --only includes them too
  --against <folder>  Compare rows of calls and pages with another build, in turns: a folder with its bin and dist
  --json              Print the figures as JSON
  --profile <folder>  Write a CPU profile of the measured node there`

/** Parses the command line. @throws Error for invalid options. */
export function readOptions(argv: string[]): Options | 'help' {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: 'string', multiple: true },
      seconds: { type: 'string' },
      long: { type: 'boolean' },
      json: { type: 'boolean' },
      against: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return 'help'
  const seconds = Number(values.seconds ?? 5)
  if (!(seconds >= 0.5 && seconds <= 600)) throw new Error(`--seconds takes 0.5 to 600, not ${values.seconds ?? ''}`)
  return {
    only: values.only ?? [],
    seconds,
    long: values.long === true,
    json: values.json === true,
    ...(values.against === undefined ? {} : { against: values.against }),
    ...(values.profile === undefined ? {} : { profile: values.profile }),
  }
}
