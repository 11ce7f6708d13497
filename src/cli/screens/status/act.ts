/** Runs the commands of keys on the screen of `coffer status --watch`. */
import { errorMessage } from '../../../store/model/errorMessage.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { isInSync, stateWords } from '../../commands/sync/shared/peer.js'
import type { WatchCommand } from './state.js'

/** Time limit of a sync, in seconds: shorter than the command's timeout for responses of the node. */
const SYNC_S = 8

type StatusAction = Exclude<WatchCommand, { do: 'quit' } | { do: 'refresh' }>

/** Returns the message while a command is running. */
export const runningText = (command: StatusAction): string => {
  const words = { sync: 'Syncing with', activate: 'Activating', pause: 'Pausing', resume: 'Resuming' }
  return `${words[command.do]} ${command.name} …`
}

/** Runs a command and returns the message of its result. */
export async function act(client: Pick<NodeClient, 'call'>, command: StatusAction): Promise<string> {
  try {
    return await done(client, command)
  } catch (error) {
    return `✖ ${errorMessage(error)}`
  }
}

async function done(client: Pick<NodeClient, 'call'>, command: StatusAction): Promise<string> {
  if (command.do === 'activate') {
    await client.call('webhooks.update', { id: command.id, update: { state: 'active' } }, { user: command.user })
    return `✔ The webhook to ${command.name} is active again.`
  }
  if (command.do === 'sync') {
    const { peers } = await client.call('sync.now', { username: command.user, peer: command.peer, seconds: SYNC_S }, {})
    const [result] = peers
    if (result === undefined) return `! ${command.name}`
    return isInSync(result) ? `✔ ${command.name} is in sync.` : `! ${command.name}: ${result.reason ?? stateWords(result)}`
  }
  const which = command.peer === undefined ? {} : { username: command.user, peer: command.peer }
  await client.call(`sync.${command.do}`, which, {})
  return `✔ Sync with ${command.name} ${command.do === 'pause' ? 'is paused; p resumes it.' : 'is resumed.'}`
}
