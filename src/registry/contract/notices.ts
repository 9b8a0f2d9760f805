/** What clients are told about an object in warnings. */

export const lacksDefaults =
  "the defaults of its definition would make this object too large; it is shown and stored without them";
