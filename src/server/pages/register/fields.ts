/** What a new account is asked for on the page, by the account fields of the node; and what the form gave. */
import type { AccountField } from '../../../store/model/systemStreams.js'
import { PAGES_APP } from '../../apiEndpoint.js'
import { isOpen } from '../../register/invitations.js'
import { passwordIn } from '../newPassword/fields.js'
import type { Sent, Visit } from '../page.js'
import type { Proving } from './pendingProof.js'

/** Name of the input of an account field. */
export const inputOf = (id: string): string => (id === 'email' ? id : `field-${id}`)

/** The field of the e-mail address; undefined where accounts have none. */
export const emailFieldOf = ({ node }: Visit): AccountField | undefined => {
  const field = node.systemStreams.byName('email')
  return field === undefined || field.isContainer ? undefined : field
}

/** The account fields, beside the e-mail address, without which nobody registers. */
export const requiredFieldsOf = ({ node }: Visit): AccountField[] =>
  node.systemStreams.fields.filter(
    ({ id, streamId, isContainer, isRequiredInValidation }) =>
      streamId.startsWith(':system:') && id !== 'email' && !isContainer && isRequiredInValidation,
  )

/** What people call a field. */
export const labelOf = ({ id, name }: AccountField): string => name ?? id

/** The parameters of auth.register that a form asks for. What was left empty is left out. */
export function parametersOf(sent: Sent, proved: Extract<Proving, { state: 'proved' }> | undefined): Record<string, string> {
  const { form, language, node } = sent
  const given = (name: string): string => (form.get(name) ?? '').trim()
  const optional: [name: string, value: string][] = [
    ['email', proved?.email ?? (emailFieldOf(sent) === undefined ? '' : given('email'))],
    ...requiredFieldsOf(sent).map(({ id }): [string, string] => [id, given(inputOf(id))]),
    ['invitationToken', isOpen(node) ? '' : given('invitation')],
    ['emailProof', proved?.proof ?? ''],
  ]
  return {
    username: given('username').toLowerCase(),
    password: passwordIn(form),
    appId: PAGES_APP,
    language,
    ...Object.fromEntries(optional.filter(([, value]) => value !== '')),
  }
}
