/** What the benchmark can be asked for. */
import { parseArgs } from 'node:util'

export interface Options {
  /** Rows to run, by id or by the beginning of it; empty: all. */
  only: readonly string[]
  /** How long each row asks the node. */
  seconds: number
  /** Also the rows that take minutes to prepare. */
  long: boolean
  json: boolean
  /** Folder for a CPU profile of the measured node. */
  profile?: string
}

export const usage = `npm run bench -- [options]
  --only <row>        Run this row, or all whose id begins so; may be repeated
  --seconds <n>       Seconds per row (default 5); each floor takes half of it beside
  --long              Also rows that take long to prepare; --only names them too
  --json              Print the figures as JSON
  --profile <folder>  Write a CPU profile of the measured node there`

/** Reads the command line. Throws an Error that says what is wrong. */
export function readOptions(argv: string[]): Options | 'help' {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: 'string', multiple: true },
      seconds: { type: 'string' },
      long: { type: 'boolean' },
      json: { type: 'boolean' },
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
    ...(values.profile === undefined ? {} : { profile: values.profile }),
  }
}
