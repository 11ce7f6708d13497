/** User accounts of this machine, from getent. */
import { execFileSync } from 'node:child_process'
import type { Environment } from '../framework/paths.js'

export interface MachineAccount {
  name: string
  uid: number
  home: string
}

/** Looks up an account by name or uid; undefined when there is none. */
export function machineAccount(nameOrUid: string | number, env: Environment): MachineAccount | undefined {
  try {
    const line = execFileSync('getent', ['passwd', '--', String(nameOrUid)], { encoding: 'utf8', env: { ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
    const [name = '', , uid = '', , , home = ''] = line.split(':')
    return { name, uid: Number(uid), home }
  } catch {
    return undefined
  }
}
