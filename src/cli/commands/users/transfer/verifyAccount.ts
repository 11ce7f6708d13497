/** Verifies that an account archive restores: imports it into a temporary node and checks that node. */
import { join } from 'node:path'
import { loadConfig } from '../../../../server/config/config.js'
import { initialise } from '../../../../server/launch/init.js'
import { soundnessOf, type Verified } from '../../../../server/maintenance/verifyArchive.js'
import { readNodeKey } from '../../../../store/keyring/nodeKey.js'
import type { Context } from '../../../command.js'
import { openOffline } from '../../../client/offline.js'
import { pathsOf } from '../../../framework/paths.js'
import { runImport } from './importAccount.js'

/**
 * Imports the archive at `place` into a node in `scratch`, an empty folder that the caller removes.
 * @throws errors of archives and imports
 */
export async function verifyAccount(context: Context, place: string, scratch: string, passphrase: string | undefined): Promise<Verified> {
  const places = pathsOf({ home: join(scratch, 'home'), env: {} })
  await initialise(places)
  const client = await openOffline(places.home, loadConfig({ file: places.config, env: {} }))
  const answer = await runImport(context, client, { folder: place, dryRun: false }, passphrase).finally(() => client.close())
  const key = await readNodeKey(places.key)
  if (key === undefined) throw new Error('The temporary node has no key.')
  const problems = [
    ...answer.refusals.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ...answer.differences,
  ]
  return {
    asked: answer.asked,
    restored: answer.restored,
    differences: Math.max(problems.length, answer.refused),
    problems,
    ...(await soundnessOf({ store: places.store, files: join(places.home, 'files') }, key)),
  }
}
