/** Runs the commands of keys on the screen of `coffer status --watch`. */
import type { NodeClient } from '../../client/nodeClient.js'
import { isInSync, stateWords } from '../../commands/sync/shared/peer.js'
import type { WatchCommand } from './state.js'

/** Shorter than the command's timeout for responses of the node. */
const MEET_S = 8

type StatusAction = Exclude<WatchCommand, { do: 'leave' } | { do: 'read' }>

/** Returns the message while a command is running. */
export const doing = (command: StatusAction): string => {
  const words = { meet: 'Syncing with', activate: 'Starting', pause: 'Pausing', resume: 'Resuming' }
  return `${words[command.do]} ${command.name} …`
}

/** Runs a command and returns the message of its result. */
export async function act(client: Pick<NodeClient, 'call'>, command: StatusAction): Promise<string> {
  try {
    return await done(client, command)
  } catch (error) {
    return `✖ ${error instanceof Error ? error.message : String(error)}`
  }
}

async function done(client: Pick<NodeClient, 'call'>, command: StatusAction): Promise<string> {
  if (command.do === 'activate') {
    await client.call('webhooks.update', { id: command.id, update: { state: 'active' } }, { user: command.user })
    return `✔ ${command.name} is called again.`
  }
  if (command.do === 'meet') {
    const { peers } = await client.call('sync.now', { username: command.user, peer: command.peer, seconds: MEET_S }, {})
    const [met] = peers
    if (met === undefined) return `! ${command.name}`
    return isInSync(met) ? `✔ ${command.name} is in sync.` : `! ${command.name}: ${met.reason ?? stateWords(met)}`
  }
  const which = command.peer === undefined ? {} : { username: command.user, peer: command.peer }
  await client.call(`sync.${command.do}`, which, {})
  return `✔ Sync with ${command.name} ${command.do === 'pause' ? 'is paused; p resumes it.' : 'is resumed.'}`
}
