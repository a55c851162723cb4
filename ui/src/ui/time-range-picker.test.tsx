import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { setShownZone } from "@/lib/time";
import { theme } from "./theme";
import { TimeRangePicker } from "./time-range-picker";

afterEach(() => setShownZone("default"));

function show() {
  render(
    <MantineProvider theme={theme} env="test">
      <TimeRangePicker range={{ from: "now-1h", to: "now" }} onChange={() => {}} />
    </MantineProvider>,
  );
  return userEvent.setup();
}

describe("the time range", () => {
  it("says which zone its times are in: the chosen one", async () => {
    setShownZone("Asia/Tokyo");
    const user = show();
    expect(screen.getByText("Asia/Tokyo").title).toBe("Times are in Asia/Tokyo (UTC+9).");
    await user.click(screen.getByRole("button", { name: "Custom time range" }));
    await screen.findByText("Times are in Asia/Tokyo (UTC+9).");
  });

  it("says the browser's where none is chosen", () => {
    show();
    // that of the tests
    expect(screen.getByText("UTC").title).toBe("Times are in UTC.");
  });
});
