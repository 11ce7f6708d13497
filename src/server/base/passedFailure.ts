import { describeFailure, FormedFailure } from '../../store/model/failure.js'

/** The `error` object of the answer of another core. */
interface PassedError {
  id: string
  message: string
  data?: unknown
}

/** Failure of another core of the platform, passed on with its HTTP status and its `error` object. */
export class PassedFailure extends FormedFailure {
  constructor(
    readonly status: number,
    error: PassedError,
  ) {
    const { id, message, data } = describeFailure(error)
    super(id, message, () => ({ error }), data)
  }
}
