module drover.example/peers

go 1.21
