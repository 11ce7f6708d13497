import { Failure } from '../../../store/model/failure.js'

/** Returns `invalid-operation` with the id of the rule of consents that refuses an event (docs/interface/consents.md#failures). */
export const refused = (id: string, message: string, data: object = {}): Failure => new Failure('invalid-operation', message, { id, ...data })
