/** Creates the node of the rows of calls and pages, with its accounts. */
import { attachFile, createLibrary, createStreams, createTree, fill, register } from './account.js'
import { startNode } from './processes.js'
import type { Owners } from './rows.js'

/** Creates the node and its accounts; returns the rate of event creation when it created events. `program`: that of another build. */
export async function prepare(
  home: string,
  { needsEvents, needsLibrary }: { needsEvents: boolean; needsLibrary: boolean },
  program?: string,
): Promise<{ owners: Owners; rate?: number }> {
  const node = await startNode(home, undefined, {}, program)
  const accounts = {
    reader: await register(node, 'reader'),
    writer: await register(node, 'writer'),
    gardener: await register(node, 'gardener'),
    librarian: await register(node, 'librarian'),
    guest: { username: '', token: '' },
  }
  await createStreams(node, accounts.writer)
  await createStreams(node, accounts.reader)
  const owners: Owners = { ...accounts, file: await attachFile(node, accounts.reader) }
  await createTree(node, owners.gardener)
  if (needsLibrary) owners.guest = await createLibrary(node, owners.librarian)
  const rate = needsEvents ? await fill(node, owners.reader) : undefined
  await node.stop()
  return rate === undefined ? { owners } : { owners, rate }
}
