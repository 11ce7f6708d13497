/** Accounts of this machine, as getent knows them. */
import { execFileSync } from 'node:child_process'
import type { Environment } from '../framework/paths.js'

export interface MachineAccount {
  name: string
  uid: number
  home: string
}

/** An account by its name or its id; undefined when the machine has none such. */
export function machineAccount(options: string | number, env: Environment): MachineAccount | undefined {
  try {
    const line = execFileSync('getent', ['passwd', '--', String(options)], { encoding: 'utf8', env: { ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
    const [name = '', , uid = '', , , home = ''] = line.split(':')
    return { name, uid: Number(uid), home }
  } catch {
    return undefined
  }
}
