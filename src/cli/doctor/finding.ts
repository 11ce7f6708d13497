/** What a check of the doctor finds, and what it looks at. */
import type { Config } from '../../server/config/config.js'
import type { Context } from '../command.js'
import type { ExitCode } from '../framework/exit.js'
import type { Record_ } from '../client/answer.js'
import type { NodeClient } from '../client/nodeClient.js'
import type { Paths } from '../framework/paths.js'

/** `off`: there is nothing to look at here. */
export type State = 'fine' | 'off' | 'warning' | 'fault' | 'damage'

export interface Finding {
  state: State
  /** What was found, in one line, with the evidence. */
  says: string
  /** The command that mends it, or what to do. */
  next?: string
  /** Mends it, where that loses nothing. */
  fix?(): Promise<void>
}

export interface DoctorContext {
  context: Context
  paths: Paths
  /** Undefined when the settings cannot be read, which is a finding of its own. */
  config: Config | undefined
  /** The node, when it runs, and what it says of itself. */
  client: NodeClient | undefined
  facts: Record_ | undefined
  /** Seconds since the epoch. */
  now: number
  /** Whether the whole store is read. */
  deep: boolean
}

export interface Check {
  name: string
  run(patient: DoctorContext): Promise<Finding[]>
}

export const fine = (text: string): Finding => ({ state: 'fine', says: text })
export const off = (text: string): Finding => ({ state: 'off', says: text })
export const warning = (text: string, next: string): Finding => ({ state: 'warning', says: text, next })
export const fault = (text: string, next: string): Finding => ({ state: 'fault', says: text, next })

const NEEDS_NODE = 'the node does not run'

/** What only a running node can say. */
export const withFacts =
  (look: (facts: Record_, patient: DoctorContext) => Finding[] | Promise<Finding[]>): Check['run'] =>
  async (patient) =>
    patient.facts === undefined ? [off(NEEDS_NODE)] : look(patient.facts, patient)

/** 13 with damage, 1 with faults, else 0. */
export function exitOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ state }) => state === 'damage')) return 13
  return findings.some(({ state }) => state === 'fault') ? 1 : 0
}
