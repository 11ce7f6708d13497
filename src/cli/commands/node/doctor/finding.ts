/** Types of the findings of `coffer doctor`, and of the state that it checks. */
import type { Config } from '../../../../server/config/config.js'
import type { Context } from '../../../command.js'
import type { ExitCode } from '../../../framework/exit.js'
import type { NodeClient, ResultOf } from '../../../client/nodeClient.js'
import type { Paths } from '../../../framework/paths.js'

/** `off`: not applicable. */
type State = 'fine' | 'off' | 'warning' | 'fault' | 'damage'

export interface Finding {
  state: State
  /** One line with the finding and its evidence. */
  says: string
  /** The command that fixes it, or another instruction. */
  next?: string
  /** Fixes it, where that loses no data. */
  fix?(): Promise<void>
}

/** Health data of the running node. */
type Facts = ResultOf<'doctor.facts'>

export interface DoctorContext {
  context: Context
  paths: Paths
  /** Undefined when the settings cannot be read, which is a finding of its own. */
  config: Config | undefined
  /** Client of the running node, and its status. */
  client: NodeClient | undefined
  facts: Facts | undefined
  /** Current time in seconds since the epoch. */
  now: number
  /** True to check the whole store. */
  deep: boolean
}

export interface Check {
  name: string
  run(doctorContext: DoctorContext): Promise<Finding[]>
}

export const fine = (text: string): Finding => ({ state: 'fine', says: text })
export const off = (text: string): Finding => ({ state: 'off', says: text })
export const warning = (text: string, next: string): Finding => ({ state: 'warning', says: text, next })
export const fault = (text: string, next: string): Finding => ({ state: 'fault', says: text, next })

const NOT_RUNNING = 'the node is not running'

/** Wraps a check that requires a running node. */
export const withFacts =
  (find: (facts: Facts, doctorContext: DoctorContext) => Finding[] | Promise<Finding[]>): Check['run'] =>
  async (doctorContext) =>
    doctorContext.facts === undefined ? [off(NOT_RUNNING)] : find(doctorContext.facts, doctorContext)

/** Returns the exit code: 13 with damage, 1 with faults, else 0. */
export function exitOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ state }) => state === 'damage')) return 13
  return findings.some(({ state }) => state === 'fault') ? 1 : 0
}
