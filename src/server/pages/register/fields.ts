/** Account fields of the registration form, and the values that the form sent. */
import type { AccountField } from '../../../store/model/systemStreams.js'
import { PAGES_APP } from '../../config/apiEndpoint.js'
import { isOpen } from '../../api/register/invitations.js'
import { passwordIn } from '../newPassword/fields.js'
import type { FormVisit, Visit } from '../page.js'
import type { EmailVerification } from './pendingProof.js'

/** Returns the input name of an account field. */
export const inputOf = (id: string): string => (id === 'email' ? id : `field-${id}`)

/** Returns the field of the e-mail address; undefined where accounts have none. */
export const emailFieldOf = ({ node }: Visit): AccountField | undefined => {
  const field = node.systemStreams.byName('email')
  return field === undefined || field.isContainer ? undefined : field
}

/** Returns the required account fields besides the e-mail address. */
export const requiredFieldsOf = ({ node }: Visit): AccountField[] =>
  node.systemStreams.fields.filter(
    ({ id, streamId, isContainer, isRequiredInValidation }) =>
      streamId.startsWith(':system:') && id !== 'email' && !isContainer && isRequiredInValidation,
  )

/** Returns the label of a field. */
export const labelOf = ({ id, name }: AccountField): string => name ?? id

/** Returns the parameters of auth.register that a form contains, without empty fields. */
export function parametersOf(submission: FormVisit, proved: Extract<EmailVerification, { state: 'proved' }> | undefined): Record<string, string> {
  const { form, language, node } = submission
  const fieldValue = (name: string): string => (form.get(name) ?? '').trim()
  const optional: [name: string, value: string][] = [
    ['email', proved?.email ?? (emailFieldOf(submission) === undefined ? '' : fieldValue('email'))],
    ...requiredFieldsOf(submission).map(({ id }): [string, string] => [id, fieldValue(inputOf(id))]),
    ['invitationToken', isOpen(node) ? '' : fieldValue('invitation')],
    ['emailProof', proved?.proof ?? ''],
  ]
  return {
    username: fieldValue('username').toLowerCase(),
    password: passwordIn(form),
    appId: PAGES_APP,
    language,
    ...Object.fromEntries(optional.filter(([, value]) => value !== '')),
  }
}
