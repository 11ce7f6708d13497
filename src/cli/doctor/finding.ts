/** What a check of the doctor finds, and what it looks at. */
import type { Config } from '../../server/config.js'
import type { Context } from '../command.js'
import type { ExitCode } from '../exit.js'
import type { Record_ } from '../node/answer.js'
import type { Door } from '../node/door.js'
import type { Paths } from '../paths.js'

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

export interface Patient {
  context: Context
  paths: Paths
  /** Undefined when the settings cannot be read, which is a finding of its own. */
  config: Config | undefined
  /** The node, when it runs, and what it says of itself. */
  door: Door | undefined
  facts: Record_ | undefined
  /** Seconds since the epoch. */
  now: number
  /** Whether the whole store is read. */
  deep: boolean
}

export interface Check {
  name: string
  run(patient: Patient): Promise<Finding[]>
}

export const fine = (says: string): Finding => ({ state: 'fine', says })
export const off = (says: string): Finding => ({ state: 'off', says })
export const warning = (says: string, next: string): Finding => ({ state: 'warning', says, next })
export const fault = (says: string, next: string): Finding => ({ state: 'fault', says, next })

const NEEDS_NODE = 'the node does not run'

/** What only a running node can say. */
export const withFacts =
  (look: (facts: Record_, patient: Patient) => Finding[] | Promise<Finding[]>): Check['run'] =>
  async (patient) =>
    patient.facts === undefined ? [off(NEEDS_NODE)] : look(patient.facts, patient)

/** 13 with damage, 1 with faults, else 0. */
export function exitOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ state }) => state === 'damage')) return 13
  return findings.some(({ state }) => state === 'fault') ? 1 : 0
}
