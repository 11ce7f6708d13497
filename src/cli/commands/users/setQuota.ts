import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { limit } from '../../terminal/input/size.js'
import { text } from '../../framework/option.js'
import { recordOf } from '../../client/answer.js'
import { writeUsage } from './usage.js'

/** `coffer users set-quota`. */
export const setQuota = command({
  path: ['users', 'set-quota'],
  summary: 'Say how much an account may hold',
  description:
    'Limits of this account, in place of those of the settings limits.account.dbDocuments and limits.account.attachedFiles. Over a limit the account takes no more: reading, deleting and logging in go on.\n\nSizes are like 500MB or 2GB; none is without limit, default is what the settings say.',
  arguments: { username: text('The account', { required: true, names: 'user' }) },
  options: { records: limit('Most bytes of records, on disk'), files: limit('Most bytes of attached files') },
  examples: [
    { type: 'coffer users set-quota ana-lovelace --records 500MB --files 2GB', says: 'both limits' },
    { type: 'coffer users set-quota ana-lovelace --files default', says: 'files as the settings say' },
  ],
  json: '{"usage":{…}}, as in coffer users usage',
  offline: true,
  async run({ out, connect, now }, { username, records, files }) {
    if (records === undefined && files === undefined) {
      throw usageError('Say --records, --files or both', 'See: coffer users set-quota --help')
    }
    const params: Record<string, unknown> = { username }
    if (records !== undefined) params['dbDocuments'] = records
    if (files !== undefined) params['attachedFiles'] = files
    const client = await connect()
    const answer = await client.call('users.setQuota', params, {})
    await out.result(answer, {
      id: username,
      print: async () => {
        out.done(`Limits of ${username} set`)
        await writeUsage(out, recordOf(answer['usage']), now())
      },
    })
  },
})
