import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { limit } from '../../terminal/input/size.js'
import { accountOf, userArgument } from '../../client/user.js'
import { writeUsage } from './usage.js'

/** `coffer users set-quota`. */
export const setQuota = command({
  path: ['users', 'set-quota'],
  summary: 'Set the storage limits of an account',
  description:
    'Limits of this account, instead of the settings limits.account.dbDocuments and limits.account.attachedFiles. Over a limit, the account rejects new data; reading, deleting and logging in still work.\n\nSizes are given as 500MB or 2GB; none removes the limit, default uses the settings.',
  arguments: { username: userArgument },
  options: { records: limit('Maximum size of records on disk'), files: limit('Maximum size of attached files') },
  examples: [
    { type: 'coffer users set-quota ana-lovelace --records 500MB --files 2GB', description: 'set both limits' },
    { type: 'coffer users set-quota ana-lovelace --files default', description: 'use the default for files' },
  ],
  json: '{"usage":{…}}, as in coffer users usage',
  offline: true,
  async run({ out, connect, now }, { username: given, records, files }) {
    if (records === undefined && files === undefined) {
      throw usageError('--records or --files is required', 'For example: --records 500MB --files 2GB\nSee: coffer users set-quota --help')
    }
    const client = await connect()
    const { user: username } = await accountOf(client, given)
    const answer = await client.call('users.setQuota', { username, dbDocuments: records, attachedFiles: files }, {})
    await out.result(answer, {
      id: username,
      print: async () => {
        out.done(`Limits of ${username} set`)
        await writeUsage(out, answer.usage, now())
      },
    })
  },
})
