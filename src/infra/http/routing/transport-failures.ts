interface TransportFailure {
  readonly status: number;
  /** For the specification's endpoints, as `{ message }`. */
  readonly message: string;
  /** For all other operations, as `{ error, code }`. */
  readonly error: string;
  readonly code: string;
}

/** Failures before and around an operation. */
export const transportFailures = {
  notJson: {
    status: 400,
    message: "Request body is not valid JSON",
    error: "El cuerpo no es JSON válido",
    code: "invalid_json",
  },
  brokenOff: {
    status: 400,
    message: "Request was broken off",
    error: "La solicitud se interrumpió",
    code: "broken_off",
  },
  tooSlow: {
    status: 408,
    message: "Request body took too long",
    error: "El cuerpo tardó demasiado en llegar",
    code: "body_too_slow",
  },
  keyInUse: {
    status: 409,
    message: "A request with this Idempotency-Key is still under way",
    error: "Una solicitud con esta Idempotency-Key todavía está en curso",
    code: "request_under_way",
  },
  answerNotKept: {
    status: 409,
    message: "This request was answered before; the answer was too large to keep",
    error: "Esta solicitud ya fue respondida, pero la respuesta era demasiado grande para guardarla",
    code: "answer_not_kept",
  },
  answerErased: {
    status: 409,
    message: "This request was answered before; the answer was erased",
    error: "Esta solicitud ya fue respondida, pero la respuesta fue borrada",
    code: "answer_erased",
  },
  tooLarge: {
    status: 413,
    message: "Request body is too large",
    error: "El cuerpo es demasiado grande",
    code: "body_too_large",
  },
  notLabelledJson: {
    status: 415,
    message: "Content-Type must be application/json",
    error: "El Content-Type debe ser application/json",
    code: "unsupported_media_type",
  },
  badCharset: {
    status: 415,
    message: "Request body must be in UTF-8",
    error: "El cuerpo debe estar en UTF-8",
    code: "unsupported_media_type",
  },
  notLabelledCsv: {
    status: 415,
    message: "Content-Type must be text/csv",
    error: "El Content-Type debe ser text/csv",
    code: "unsupported_media_type",
  },
  badEncoding: {
    status: 415,
    message: "Content-Encoding is not supported",
    error: "El Content-Encoding no se admite",
    code: "unsupported_encoding",
  },
  keyOfAnotherRequest: {
    status: 422,
    message: "This Idempotency-Key was used for another request",
    error: "Esta Idempotency-Key ya se usó para otra solicitud",
    code: "idempotency_key_reused",
  },
  tooManyRequests: {
    status: 429,
    message: "Too many requests",
    error: "Demasiadas solicitudes",
    code: "too_many_requests",
  },
  unavailable: {
    status: 503,
    message: "Service unavailable",
    error: "El servicio no está disponible por ahora",
    code: "unavailable",
  },
} as const satisfies Readonly<Record<string, TransportFailure>>;
export type TransportFailureName = keyof typeof transportFailures;
