/**
 * @param message - for operations that answer failures without codes, as `{ message }`
 * @param error - for operations that answer failures with codes, as `{ error, code }`
 */
const failure = (status: number, code: string, message: string, error: string) => ({ status, message, error, code });

/** Failures that many operations share: of request bodies, of Idempotency-Keys, of limits and of the database. */
export const transportFailures = {
  notJson: failure(400, "invalid_json", "Request body is not valid JSON", "El cuerpo no es JSON válido"),
  brokenOff: failure(400, "broken_off", "Request was broken off", "La solicitud se interrumpió"),
  tooSlow: failure(408, "body_too_slow", "Request body took too long", "El cuerpo tardó demasiado en llegar"),
  keyInUse: failure(
    409,
    "request_under_way",
    "A request with this Idempotency-Key is still under way",
    "Una solicitud con esta Idempotency-Key todavía está en curso",
  ),
  answerNotKept: failure(
    409,
    "answer_not_kept",
    "This request was answered before; the answer was too large to keep",
    "Esta solicitud ya fue respondida, pero la respuesta era demasiado grande para guardarla",
  ),
  answerErased: failure(
    409,
    "answer_erased",
    "This request was answered before; the answer was erased",
    "Esta solicitud ya fue respondida, pero la respuesta fue borrada",
  ),
  tooLarge: failure(413, "body_too_large", "Request body is too large", "El cuerpo es demasiado grande"),
  notLabelledJson: failure(
    415,
    "unsupported_media_type",
    "Content-Type must be application/json",
    "El Content-Type debe ser application/json",
  ),
  badCharset: failure(415, "unsupported_media_type", "Request body must be in UTF-8", "El cuerpo debe estar en UTF-8"),
  notLabelledCsv: failure(
    415,
    "unsupported_media_type",
    "Content-Type must be text/csv",
    "El Content-Type debe ser text/csv",
  ),
  badEncoding: failure(
    415,
    "unsupported_encoding",
    "Content-Encoding is not supported",
    "El Content-Encoding no se admite",
  ),
  keyOfAnotherRequest: failure(
    422,
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request",
    "Esta Idempotency-Key ya se usó para otra solicitud",
  ),
  tooManyRequests: failure(429, "too_many_requests", "Too many requests", "Demasiadas solicitudes"),
  unavailable: failure(503, "unavailable", "Service unavailable", "El servicio no está disponible por ahora"),
};
export type TransportFailureName = keyof typeof transportFailures;
