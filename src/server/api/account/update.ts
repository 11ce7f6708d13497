import * as z from 'zod'
import { emailsOf } from '../../../store/accounts/emails.js'
import { LANGUAGE, MAX_EMAIL } from '../../../store/model/accountFieldValue.js'
import { primaryOf } from '../../../store/model/emails.js'
import { languageOf } from '../../base/language.js'
import { writeExclusively } from '../../dispatch/accountWrite.js'
import { presentUser, replaceUser } from '../shared/updateUser.js'
import { assertFieldValue, writeField } from '../shared/accountFields.js'
import { personalOnly } from '../../call/callers.js'
import { method, type Call } from '../../call/method.js'
import { editableField } from './fields.js'
import { EmailOperations, planEmails } from './emailOperations.js'
import { sendMails } from './verification.js'
import { AccountView, accountView } from './view.js'
import type { MailDeps } from '../../mail/mailer.js'

const Language = z.string().min(1).max(5).regex(LANGUAGE)

const AccountUpdate = z.strictObject({
  email: z.string().trim().min(1).max(MAX_EMAIL).optional().describe('New primary e-mail address.'),
  language: Language.optional().describe('Language, such as en or pt-BR.'),
  emails: EmailOperations.optional().describe('Changes of the e-mail addresses.'),
})

/**
 * Route that updates the account, atomically. See docs/interface/account.md#reading-and-updating and
 * docs/interface/account.md#e-mail-addresses.
 */
export const update = method({
  id: 'account.update',
  summary: 'Changes the e-mail addresses and the language of the account.',
  http: { verb: 'PUT', path: '/account', body: 'update' },
  caller: personalOnly,
  input: z.strictObject({ update: AccountUpdate.describe('Members to change; others keep their values.') }),
  output: () => z.object({ account: AccountView.describe('The changed account.') }),
  fails: ['invalid-parameters-format', 'invalid-operation', 'item-already-exists', 'forbidden', 'unexpected-error'],
  async run(call: Call<MailDeps>, { update: input }) {
    const { node, account, author } = call
    const { email, language } = input
    if (email !== undefined) editableField(node, 'email')
    if (language !== undefined) assertFieldValue(editableField(node, 'language'), language)
    const mails = await writeExclusively(call, async (write) => {
      const before = presentUser(account)
      const formerEmail = primaryOf(emailsOf(account.db, account.prefix, before))?.value
      const planned = planEmails(call, before, input)
      const primary = planned.user.unique['email'] ?? email
      const values = {
        ...(primary === undefined || primary === formerEmail ? {} : { email: primary }),
        ...(language === undefined || language === languageOf(account) ? {} : { language }),
      }
      if (planned.user === before && Object.keys(values).length === 0) return []
      return replaceUser(node, write, before, planned.user, (t) => {
        for (const [name, value] of Object.entries(values)) {
          writeField(node, account, t, editableField(node, name), value, author)
        }
        return planned.mails
      })
    })
    await sendMails(node, account, mails)
    return { account: await accountView(account) }
  },
})
