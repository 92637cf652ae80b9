/** What other features and the composition root may use of orders. */

export { OrderBoard } from "./application/board/order-board.ts";
export { AskDeliveryPrices } from "./application/delivery/delivery-prices.ts";
export type { DeliveryPricing, DriverTracking } from "./application/delivery/integrations.ts";
export { EditOrders } from "./application/edits/edit-orders.ts";
export { CancelInactive } from "./application/inactivity/cancel-inactive.ts";
export { SendPaymentLink } from "./application/payments/send-payment-link.ts";
export type { PushOutbox } from "./application/push/ports.ts";
export { PushOrderEvents } from "./application/push/push-order-events.ts";
export { GetOrder } from "./application/reads/get-order.ts";
export { ListOrders } from "./application/reads/list-orders.ts";
export { OrdersOfChat } from "./application/reads/orders-of-chat.ts";
export { isPushed } from "./domain/push.ts";
